// SPDX-License-Identifier: LGPL-2.1-or-later
/// The smallest valid cascade files.
package enum SmallCascades {
    /// A Haar cascade with one stage, which has a tree with two nodes.
    package static let haar = """
        <?xml version="1.0"?>
        <opencv_storage>
        <cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType><featureType>HAAR</featureType>
        <height>24</height><width>24</width>
        <stageParams><maxWeakCount>1</maxWeakCount></stageParams>
        <featureParams><maxCatCount>0</maxCatCount></featureParams><stageNum>1</stageNum>
        <stages><_><maxWeakCount>1</maxWeakCount><stageThreshold>-1.</stageThreshold><weakClassifiers>
        <_><internalNodes>1 0 0 0.5 -1 -2 1 0.25</internalNodes><leafValues>0.5 -0.5 0.75</leafValues></_>
        </weakClassifiers></_></stages>
        <features>
        <_><rects><_>2 4 8 6 -1.</_><_>2 6 8 2 3.</_></rects></_>
        <_><rects><_>9 3 6 4 -1.</_><_>9 3 3 4 2.</_></rects><tilted>1</tilted></_>
        </features></cascade></opencv_storage>
        """

    /// An LBP cascade with one stump.
    package static let lbp = """
        <?xml version="1.0"?>
        <opencv_storage>
        <cascade><stageType>BOOST</stageType><featureType>LBP</featureType><height>24</height><width>24</width>
        <featureParams><maxCatCount>256</maxCatCount></featureParams>
        <stages><_><stageThreshold>-1.</stageThreshold><weakClassifiers>
        <_><internalNodes>0 -1 0 1 2 3 4 5 6 7 -8</internalNodes><leafValues>0.5 -0.5</leafValues></_>
        </weakClassifiers></_></stages>
        <features><_><rect>3 3 7 7</rect></_></features></cascade></opencv_storage>
        """

    /// The cascade `haar` in the file format before 2010.
    package static let old = """
        <?xml version="1.0"?>
        <opencv_storage>
        <faces type_id="opencv-haar-classifier"><size>24 24</size><stages><_><trees><_>
        <_><feature><rects><_>2 4 8 6 -1.</_><_>2 6 8 2 3.</_></rects><tilted>0</tilted></feature>
        <threshold>0.5</threshold><left_node>1</left_node><right_val>0.5</right_val></_>
        <_><feature><rects><_>9 3 6 4 -1.</_><_>9 3 3 4 2.</_></rects><tilted>1</tilted></feature>
        <threshold>0.25</threshold><left_val>-0.5</left_val><right_val>0.75</right_val></_>
        </_></trees><stage_threshold>-1.</stage_threshold><parent>-1</parent><next>-1</next></_></stages>
        </faces></opencv_storage>
        """
}
